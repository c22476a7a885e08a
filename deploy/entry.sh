#!/bin/sh
# The address of the database holds its password and comes as a file.
set -eu
if [ -r /run/secrets/database_url ]; then
	IBID_DATABASE=$(cat /run/secrets/database_url)
	export IBID_DATABASE
fi
exec /usr/local/bin/ibid "$@"
