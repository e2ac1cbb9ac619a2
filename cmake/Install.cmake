# What a package would hold; `./dev install PLACE` calls it with the prefix /usr.
include(GNUInstallDirs)

install(TARGETS qdiscsimd RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES packaging/qdiscsim.service DESTINATION lib/systemd/system)
# Absolute: the unit reads /etc whatever the prefix.
install(FILES config/examples/quickstart.yaml DESTINATION /etc/qdiscsim
        RENAME qdiscsim.yaml)
install(DIRECTORY dashboards config/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/qdiscsim)
install(FILES README.md ARCHITECTURE.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
