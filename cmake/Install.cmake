# What a package would hold; `./dev install PLACE` calls it with the prefix /usr.
include(GNUInstallDirs)

install(TARGETS qdiscsimd RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# Not there after a build of the daemon alone.
set(ctl_made ${PROJECT_BINARY_DIR}/ctl)
install(TARGETS qdiscsimctl RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)
install(FILES ${ctl_made}/qdiscsimctl.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
install(FILES ${ctl_made}/qdiscsimctl.bash RENAME qdiscsimctl OPTIONAL
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
if(TARGET ring_bench)
  # Not there after a build of the daemon alone.
  install(TARGETS ring_bench RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)
endif()
install(FILES packaging/qdiscsim.service packaging/qdiscsim@.service DESTINATION lib/systemd/system)
# Absolute: the unit reads /etc whatever the prefix.
install(FILES config/examples/quickstart.yaml DESTINATION /etc/qdiscsim
        RENAME qdiscsim.yaml)
install(FILES packaging/control-fs.conf packaging/tap.conf
        DESTINATION ${CMAKE_INSTALL_DATADIR}/qdiscsim)
install(DIRECTORY dashboards config/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/qdiscsim
        USE_SOURCE_PERMISSIONS)
install(FILES README.md ARCHITECTURE.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
