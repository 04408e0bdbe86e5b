"""The fixtures, to be imported by name."""

from unitai.pytest_plugin import block_network as block_network
from unitai.pytest_plugin import cassette as cassette
from unitai.pytest_plugin import mock_toolkit as mock_toolkit
from unitai.pytest_plugin import scripted_model as scripted_model
from unitai.pytest_plugin import unitai_config as unitai_config
