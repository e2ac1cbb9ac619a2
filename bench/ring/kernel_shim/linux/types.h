// What ptr_ring.h needs of the kernel's basic types. The host's own header of this name, which
// other headers may ask for, comes first.
#pragma once

#include_next <linux/types.h>

using gfp_t = unsigned int;  // flags of an allocation
