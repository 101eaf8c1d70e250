# SPDX-License-Identifier: Apache-2.0
# Install and export of the libraries, their headers and the command line tool.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(libraries GLOBAL PROPERTY CHAINWALK_LIBRARIES)
install(TARGETS ${libraries} EXPORT chainwalk-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT chainwalk-targets NAMESPACE chainwalk:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/chainwalk)
foreach(room IN LISTS CHAINWALK_ROOMS)
  if(TARGET chainwalk_${room} AND IS_DIRECTORY "${PROJECT_SOURCE_DIR}/${CHAINWALK_DIR_${room}}/include")
    install(DIRECTORY "${CHAINWALK_DIR_${room}}/include/" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT headers)
  endif()
endforeach()
if(TARGET chainwalk)
  install(TARGETS chainwalk RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(FILES docs/report.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/chainwalk)

configure_package_config_file(cmake/chainwalk-config.cmake.in
  "${CMAKE_CURRENT_BINARY_DIR}/chainwalk-config.cmake"
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/chainwalk)
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/chainwalk-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/chainwalk-config.cmake"
  "${CMAKE_CURRENT_BINARY_DIR}/chainwalk-config-version.cmake"
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/chainwalk)
