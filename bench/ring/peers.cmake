# Adds the rings of others to the target ring_bench, as far as this machine has them: a header, and
# the libraries that it needs. `ring_bench list` names the absent ones (peers.cc).
find_package(PkgConfig QUIET)

set(peer_definitions "")
target_sources(ring_bench PRIVATE peers.cc peers_std.cc)

# qdiscsim_peer(NAME HEADER ... FOLDERS ... LIBRARIES ... OPTIONS ...): adds peers_NAME.cc when the
# header, in the FOLDERS or where headers usually are, and all LIBRARIES are found. OPTIONS are
# compile options of that file.
macro(qdiscsim_peer name)
  cmake_parse_arguments(PEER "" "HEADER" "FOLDERS;LIBRARIES;OPTIONS" ${ARGN})
  string(TOUPPER ${name} peer_upper)
  find_path(QDISCSIM_${peer_upper}_INCLUDE ${PEER_HEADER} PATHS ${PEER_FOLDERS})
  set(peer_found ${QDISCSIM_${peer_upper}_INCLUDE})
  set(peer_linked "")
  foreach(library ${PEER_LIBRARIES})
    find_library(QDISCSIM_LIBRARY_${library} ${library})
    list(APPEND peer_linked ${QDISCSIM_LIBRARY_${library}})
    if(NOT QDISCSIM_LIBRARY_${library})
      set(peer_found FALSE)
    endif()
  endforeach()
  if(peer_found)
    target_sources(ring_bench PRIVATE peers_${name}.cc)
    target_link_libraries(ring_bench PRIVATE ${peer_linked})
    list(APPEND peer_definitions QDISCSIM_PEER_${peer_upper})
    set(peer_options "${PEER_OPTIONS}")
    foreach(folder ${PEER_FOLDERS})
      list(APPEND peer_options -isystem ${folder})
    endforeach()
    set_source_files_properties(peers_${name}.cc PROPERTIES
      COMPILE_OPTIONS "${peer_options}")
  endif()
endmacro()

# DPDK's headers want its own configuration and its instruction set.
if(PkgConfig_FOUND)
  pkg_check_modules(QDISCSIM_DPDK QUIET libdpdk)
endif()
if(QDISCSIM_DPDK_FOUND)
  qdiscsim_peer(dpdk HEADER rte_ring.h FOLDERS ${QDISCSIM_DPDK_INCLUDE_DIRS}
    LIBRARIES rte_ring rte_eal OPTIONS ${QDISCSIM_DPDK_CFLAGS_OTHER})
endif()
qdiscsim_peer(ck HEADER ck_ring.h)
qdiscsim_peer(tbb HEADER oneapi/tbb/concurrent_queue.h LIBRARIES tbb)
qdiscsim_peer(moodycamel HEADER concurrentqueue/concurrentqueue.h)
qdiscsim_peer(boost HEADER boost/lockfree/queue.hpp)

# The kernel's header is never looked for: its path is given (docs/kernel-ptr-ring.md). Only that
# file is taken; what it includes comes from kernel_shim/.
set(QDISCSIM_LINUX_SOURCE "" CACHE PATH
    "an unpacked linux-source, to compare with its include/linux/ptr_ring.h")
if(QDISCSIM_LINUX_SOURCE)
  set(kernel_header ${QDISCSIM_LINUX_SOURCE}/include/linux/ptr_ring.h)
  if(NOT EXISTS ${kernel_header})
    message(FATAL_ERROR "QDISCSIM_LINUX_SOURCE: there is no ${kernel_header}")
  endif()
  target_sources(ring_bench PRIVATE peers_kernel.cc)
  list(APPEND peer_definitions QDISCSIM_PEER_KERNEL)
  set_source_files_properties(peers_kernel.cc PROPERTIES
    COMPILE_DEFINITIONS "QDISCSIM_KERNEL_PTR_RING=\"${kernel_header}\""
    COMPILE_OPTIONS "-isystem;${CMAKE_CURRENT_SOURCE_DIR}/kernel_shim")
endif()

set_source_files_properties(peers.cc PROPERTIES
  COMPILE_DEFINITIONS "${peer_definitions}")
