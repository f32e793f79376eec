"""200 kills in place of 20."""

import os

os.environ["TENDRIL_KILLS"] = "200"

import test_kill_and_resume

test_kill_and_resume.main()
