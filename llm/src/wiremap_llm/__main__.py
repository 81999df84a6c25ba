"""`python -m wiremap_llm`."""

import sys

from wiremap_llm.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
