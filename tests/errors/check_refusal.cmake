# Runs PROGRAM with ARGUMENTS (separated by |): it must exit with 1 and say MESSAGE on standard error.
string(REPLACE "|" ";" arguments "${ARGUMENTS}")
execute_process(COMMAND ${PROGRAM} ${arguments} OUTPUT_VARIABLE printed ERROR_VARIABLE said RESULT_VARIABLE code)
if(NOT code EQUAL 1)
  message(FATAL_ERROR "exit code ${code}, not 1:\n${printed}${said}")
endif()
if(NOT said MATCHES "${MESSAGE}")
  message(FATAL_ERROR "said:\n${said}instead of:\n${MESSAGE}")
endif()
