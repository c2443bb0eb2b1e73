"""The providers' own clients behind a proxy, for the suite of adapters: the agent knows its base URL
and nothing else."""

import json
from contextlib import ExitStack

import msgspec
from tests.adapters.drivers.clients import DRIVERS, ClientDriver

from contextwright.serve.proxy_server import ProxyThread
from contextwright.serve.settings import ProxySettings


class ProxiedDriver(ClientDriver):
    """A client's driver with a proxy in front of the server; `close` stops its proxies."""

    def __init__(self, driver):
        super().__init__(driver.loop, f"{driver.name}, proxied", driver.cannot)
        self.proxies = ExitStack()

    def agent(self, setup):
        agent = self.loop(self.through(setup))
        agent.restarted = lambda setup: self.restarted(agent, setup)
        return agent

    def restarted(self, agent, setup):
        return type(agent)(self.through(setup), json.loads(json.dumps(agent.histories)))

    def through(self, setup):
        """The setup of an agent that goes through a proxy with this setup's context."""
        if setup is None or setup.context is None:
            return setup
        settings = ProxySettings(upstream=setup.url, port=0, drain_s=1)
        proxy = self.proxies.enter_context(ProxyThread(settings))
        proxy.app.proxy.compiler._contexts[self.api] = setup.context
        helper = self.through(setup.helper)
        return msgspec.structs.replace(setup, url=proxy.url, context=None, helper=helper)

    def close(self):
        self.proxies.close()


PROXIED = [ProxiedDriver(driver) for driver in DRIVERS]
