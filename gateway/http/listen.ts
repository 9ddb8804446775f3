import { networkInterfaces } from 'node:os';
import type { SharedConfig } from '../config/settings.ts';
import {
  LIBUS_LISTEN_EXCLUSIVE_PORT, us_listen_socket_close, us_socket_local_port, type TemplatedApp, type us_listen_socket,
} from './uws.ts';

export type ListenConfig = Pick<SharedConfig, 'host' | 'port' | 'portNamed' | 'production'>;
export type Listener = { port: number; close: () => void };
/** Undefined means every address. */
export type Hosts = readonly (string | undefined)[];

/** How far development looks for a free port. */
const attempts = 100;

/**
 * Takes the port for this process alone; by default uWebSockets.js lets two services share one and answer in turn.
 * @throws Error naming the port when it is taken. Only outside production, and only without PORT, the next free one serves.
 */
export function listenOn(app: TemplatedApp, config: ListenConfig): Listener {
  const hosts = addressesOf(config);
  for (const port of candidatePorts(config)) {
    const listener = listenAlone(app, hosts, port);
    if (listener !== undefined) return listener;
  }
  throw new Error(refusal(config));
}

/**
 * Joins the other workers on a port that their parent has claimed.
 * @throws Error naming the port when another program has taken it since.
 */
export function joinOn(app: TemplatedApp, config: ListenConfig, port: number): Listener {
  const listener = listenBeside(app, addressesOf(config), port);
  if (listener === undefined) throw new Error(`Port ${port} cannot be opened any more: another program has taken it.`);
  return listener;
}

/** A port that the kernel chose at one address may be taken at the next, so port 0 is tried again. */
export function candidatePorts({ port, portNamed, production }: ListenConfig): number[] {
  if (port === 0) return Array.from({ length: attempts }, () => 0);
  return portNamed || production ? [port] : Array.from({ length: attempts }, (_, i) => port + i);
}

export function listenAlone(app: TemplatedApp, hosts: Hosts, port: number): Listener | undefined {
  return listenAt(hosts, port, (host, at, done) => host === undefined
    ? app.listen(at, LIBUS_LISTEN_EXCLUSIVE_PORT, done)
    : app.listen(host, at, LIBUS_LISTEN_EXCLUSIVE_PORT, done));
}

/** Other processes of the same user may listen on the port too, and the kernel shares connections out. */
export function listenBeside(app: TemplatedApp, hosts: Hosts, port: number): Listener | undefined {
  return listenAt(hosts, port, (host, at, done) => host === undefined ? app.listen(at, done) : app.listen(host, at, done));
}

/** A development service is for its machine alone: its secrets are generated, and its errors reveal everything. */
export function addressesOf({ host, production }: ListenConfig): Hosts {
  if (host !== undefined) return [host];
  return production ? [undefined] : loopback();
}

/** Both, where this machine has both: a client that says localhost may try either. */
function loopback(): string[] {
  const known = Object.values(networkInterfaces()).flatMap(addresses => addresses ?? []).map(({ address }) => address);
  return ['127.0.0.1', '::1'].filter((address, i) => i === 0 || known.includes(address));
}

type Listen = (host: string | undefined, port: number, done: (socket: us_listen_socket | false) => void) => unknown;

/** At all of these addresses, or none. */
function listenAt(hosts: Hosts, wanted: number, listen: Listen): Listener | undefined {
  const sockets: us_listen_socket[] = [];
  const close = () => sockets.splice(0).forEach(us_listen_socket_close);
  let port = wanted;
  for (const host of hosts) {
    const socket = opened(done => listen(host, port, done));
    if (socket === undefined) {
      close();
      return undefined;
    }
    sockets.push(socket);
    port = us_socket_local_port(socket);
  }
  return { port, close };
}

/** The callback runs before `listen` returns. */
function opened(listen: (done: (socket: us_listen_socket | false) => void) => unknown): us_listen_socket | undefined {
  let listening: us_listen_socket | undefined;
  listen(socket => { listening = socket === false ? undefined : socket; });
  return listening;
}

export function refusal({ host, port, portNamed, production }: ListenConfig): string {
  if (host !== undefined) {
    return `Port ${port} of ${host} (SERVICE_HOST) cannot be opened: it is no address of this machine, or another program has the port.`;
  }
  if (portNamed) return `PORT ${port} cannot be opened: another program has it, or this user may not open it.`;
  if (production) return `The default port ${port} cannot be opened: another program has it. Name another one with PORT.`;
  return `None of the ports ${port} to ${port + attempts - 1} can be opened. Name a free one with PORT.`;
}
