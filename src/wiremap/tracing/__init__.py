"""Recording what runs: functions, imports, files, environment variables and child processes."""
