// Asked for by ptr_ring.h for kvmalloc_array and kvfree.
#pragma once

#include <linux/slab.h>
