# The Debian package: `./dev package`, or `cpack -G DEB` in the build folder. What is in it is what
# Install.cmake installs; the scripts of packaging/debian only tell systemd of it.

# cpack packs what is built, and does not build the tests first.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

# Files that Debian wants in every package: the licence by its name, and a changelog of its own form.
set(packed ${CMAKE_CURRENT_BINARY_DIR}/packaging)
string(TIMESTAMP release_date "%a, %d %b %Y 00:00:00 +0000" UTC)
file(CONFIGURE OUTPUT ${packed}/changelog CONTENT
"qdiscsim (@PROJECT_VERSION@) unstable; urgency=medium

  * See CHANGELOG.md.

 -- the qdiscsim authors <maintainers@qdiscsim.example>  @release_date@
" @ONLY)
find_program(GZIP gzip REQUIRED)
execute_process(COMMAND ${GZIP} -9nkf ${packed}/changelog COMMAND_ERROR_IS_FATAL ANY)
install(FILES ${packed}/changelog.gz DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
file(WRITE ${packed}/conffiles "/etc/qdiscsim/qdiscsim.yaml\n")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME qdiscsim)
set(CPACK_PACKAGE_CONTACT "the qdiscsim authors <maintainers@qdiscsim.example>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_OUTPUT_FILE_PREFIX ${CMAKE_CURRENT_BINARY_DIR}/package)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "simulator of Linux packet transmission, in userspace")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Threads like pktgen's push packets through pfifo_fast's rings onto a simulated
link, while the pages behind them are recycled through a page_pool. Rates,
drops, latency and page recycling come out as Prometheus metrics.")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# An example and the dashboards' generator are Python.
set(CPACK_DEBIAN_PACKAGE_DEPENDS python3:any)
# For pktgen.control_fs.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS fuse3)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
    ${PROJECT_SOURCE_DIR}/packaging/debian/postinst ${PROJECT_SOURCE_DIR}/packaging/debian/prerm
    ${PROJECT_SOURCE_DIR}/packaging/debian/postrm ${packed}/conffiles)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
