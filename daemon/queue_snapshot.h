// A queue's account as a snapshot shows it, in the kernel's terms.
#pragma once

#include "daemon/snapshot.h"
#include "qdisc/accounts.h"

namespace qdiscsim {

// Sets every figure of out that comes from the account, and no other.
void show_account(const QueueAccount& account, QueueSnapshot& out) noexcept;

}  // namespace qdiscsim
