# SPDX-License-Identifier: GPL-3.0-or-later
"""HTTP servers of the tools: which names and origins they serve, and how many connections they keep.

A server listens where a browser of the same host reaches it, so pages of other sites can send it requests. A site can also let its own
name resolve to this host (DNS rebinding). The server therefore answers only requests whose Host is a name or an address of this host.
"""

import ipaddress
import os
import re
import resource
import socket
import time
from enum import IntEnum
from urllib.parse import urlsplit

from tornado import httpserver, netutil, web

from wimax_tools.control import Refused
from wimax_tools.exit_status import exit_status_of

MOST = 64             # connections without a token
NEWCOMERS = 4         # of them always left to those that have sent no request yet
IDLE_S = 30           # that a connection may take for a request, or stay open between two
MOST_RESERVED = 256   # descriptors left for files and questions
LARGEST = 1 << 20     # bytes of a request
SCHEMES = ("http", "https")
NETLOC = re.compile(r"(?:\[(?P<literal>[\w:.%]+)\]|(?P<name>[\w.-]+))(?::\d{1,5})?", re.ASCII)


def literal(text):
    """An IP address in its one form; None of other text."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def plain(name):
    return name.lower().removesuffix(".")


def host_of(netloc):
    """Name or address of a Host header, without its port; None of malformed text."""
    known = NETLOC.fullmatch(netloc)
    return plain(known["literal"] or known["name"]) if known else None


class Hosts:
    """Names under which a server is reached."""

    def __init__(self, address="", further=()):
        """`address`: to listen at; `further`: names that the user allows, for instance of a proxy."""
        self._further = {plain(name) for name in further}
        self._names = {"localhost", plain(socket.gethostname()), plain(address)} | self._further
        self._names -= {""} | {name for name in self._names if (known := literal(name)) and known.is_unspecified}
        self._literals = {known for name in self._names if (known := literal(name))}

    def allows_host(self, netloc, local):
        """`local`: address at this end of the connection."""
        name = host_of(netloc)
        if name is None:
            return False
        known = literal(name)
        return known in {literal(local), *self._literals} if known else name in self._names

    def allows_origin(self, origin, netloc):
        """Of pages that the server itself has sent. `netloc`: the Host header."""
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        return parts.scheme in SCHEMES and (parts.netloc.lower() == netloc.lower() or host_of(parts.netloc) in self._further)


class Misdirected(web.RequestHandler):
    """In the place of any handler, where Host or Origin is another's."""

    def initialize(self, status, text):
        self._said = status, text

    def prepare(self):
        status, text = self._said
        self.set_status(status)
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.set_header("Connection", "close")
        self.finish(f"{text}\n")


class Application(web.Application):
    """Checks Host and Origin of every request before a handler is chosen."""

    def __init__(self, handlers, hosts, **settings):
        super().__init__(handlers, log_function=lambda handler: None, **settings)
        self._hosts = hosts

    def find_handler(self, request, **kwargs):
        fault = self._fault(request)
        if fault:
            return self.get_handler_delegate(request, Misdirected, dict(zip(("status", "text"), fault)))
        return super().find_handler(request, **kwargs)

    def _fault(self, request):
        stream = request.connection.stream
        note_request(stream)
        named = request.headers.get_list("Host")
        if len(named) != 1 or not self._hosts.allows_host(named[0], stream.socket.getsockname()[0]):
            return 421, "Host: no name of this server; the option --name NAME allows one more"
        origins = [one for key in ("Origin", "Sec-Websocket-Origin") for one in request.headers.get_list(key)]
        if not all(self._hosts.allows_origin(one, named[0]) for one in origins):
            return 403, "Origin: only pages of this server may ask it; the option --name NAME allows the name of a proxy"
        return None


class Rank(IntEnum):
    """Of a connection; those of the lowest rank are closed first."""
    NEWCOMER = 0  # no request yet
    GUEST = 1
    VIEWER = 2    # a WebSocket
    TRUSTED = 3   # has shown the token


class Connections:
    """As apps/common/connections.h limits those of the programs."""

    def __init__(self, most=MOST, clock=time.monotonic):
        self._most, self._clock, self._all = most, clock, {}

    def add(self, stream):
        self._all = {one: seen for one, seen in self._all.items() if not one.closed()}
        self._note(stream, Rank.NEWCOMER)
        self._enforce()

    def raise_to(self, stream, rank):
        if stream in self._all:
            self._note(stream, max(rank, self._all[stream][0]))

    def _note(self, stream, rank):
        self._all[stream] = (rank, self._clock())

    def _enforce(self):
        untrusted = sorted((rank, seen_s, id(stream), stream) for stream, (rank, seen_s) in self._all.items() if rank < Rank.TRUSTED)
        newcomers = [one for one in untrusted if one[0] is Rank.NEWCOMER]
        others = untrusted[len(newcomers):]
        places = max(NEWCOMERS, self._most - len(others))
        for *_, stream in newcomers[:-places] + others[:max(0, len(others) - self._most)]:
            del self._all[stream]
            stream.close()


def note_request(stream, rank=Rank.GUEST):
    """Of a connection that a Server has accepted; others have no limits."""
    if connections := getattr(stream, "wimax_connections", None):
        connections.raise_to(stream, rank)


def first_reserved():
    """The kernel gives out the lowest free descriptor: one of this number or above is one of the last."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return float("inf") if limit == resource.RLIM_INFINITY else limit - min(limit // 2, MOST_RESERVED)


def free_descriptors():
    """Below the first reserved one, now."""
    probe = os.open(os.devnull, os.O_RDONLY)
    os.close(probe)
    return first_reserved() - probe


class Listening(socket.socket):
    """Accepts connections as long as descriptors are left; others are closed at once, so that none waits to be accepted for ever."""

    def __init__(self, made):
        super().__init__(made.family, made.type, made.proto, fileno=made.detach())
        self._spare = None
        self._take_spare()

    def accept(self):
        """ConnectionAbortedError, which servers expect, in the place of OSError (EMFILE), which they do not."""
        try:
            accepted, address = super().accept()
        except (BlockingIOError, ConnectionAbortedError):
            raise
        except OSError as error:
            self._refuse_one()
            raise ConnectionAbortedError from error
        if accepted.fileno() >= first_reserved():
            accepted.close()
            raise ConnectionAbortedError
        return accepted, address

    def _refuse_one(self):
        self._give_up_spare()
        try:
            super().accept()[0].close()
        except OSError:
            pass
        self._take_spare()

    def _take_spare(self):
        try:
            self._spare = os.open(os.devnull, os.O_RDONLY)
        except OSError:
            pass

    def _give_up_spare(self):
        if self._spare is not None:
            os.close(self._spare)
            self._spare = None

    def close(self):
        super().close()
        self._give_up_spare()


class Server(httpserver.HTTPServer):
    """With limits for its connections."""

    def initialize(self, application, **settings):
        super().initialize(application, max_body_size=LARGEST, idle_connection_timeout=IDLE_S, body_timeout=IDLE_S, **settings)
        self._limits = Connections(max(1, min(MOST, free_descriptors() - NEWCOMERS)))

    def handle_stream(self, stream, address):
        stream.wimax_connections = self._limits
        self._limits.add(stream)
        super().handle_stream(stream, address)


def listening(address, port, option):
    """Sockets of a server. Refused: why it cannot listen there; `option`: what the command calls the address."""
    try:
        return [Listening(made) for made in netutil.bind_sockets(port, address)]
    except (OSError, OverflowError) as error:
        raise Refused(f"{option} {address} --port {port}: {error}", exit_status_of(getattr(error, "errno", None))) from error

