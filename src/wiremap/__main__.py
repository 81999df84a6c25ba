"""`python -m wiremap`: the command line."""

import sys

from wiremap.cli.main import main

sys.exit(main())
