import { type Config } from '../config/config.ts';
import { LIBUS_LISTEN_EXCLUSIVE_PORT, us_socket_local_port, type TemplatedApp, type us_listen_socket } from './uws.ts';

export type ListenConfig = Pick<Config, 'port' | 'portNamed' | 'production'>;
export type Listener = { socket: us_listen_socket; port: number };

/** How far development looks for a free port. */
const attempts = 100;

/**
 * Takes the port for this process alone; by default uWebSockets.js lets two services share one and answer in turn.
 * @throws Error naming the port when it is taken. Only outside production, and only without PORT, the next free one serves.
 */
export function listenOn(app: TemplatedApp, config: ListenConfig): Listener {
  for (const port of candidatePorts(config)) {
    const socket = listenAlone(app, port);
    if (socket !== undefined) return { socket, port: us_socket_local_port(socket) };
  }
  throw new Error(refusal(config));
}

/**
 * Joins the other workers on a port that their parent has claimed.
 * @throws Error naming the port when another program has taken it since.
 */
export function joinOn(app: TemplatedApp, port: number): Listener {
  const socket = listenBeside(app, port);
  if (socket === undefined) throw new Error(`Port ${port} cannot be opened any more: another program has taken it.`);
  return { socket, port };
}

export function candidatePorts({ port, portNamed, production }: ListenConfig): number[] {
  return portNamed || production ? [port] : Array.from({ length: attempts }, (_, i) => port + i);
}

export function listenAlone(app: TemplatedApp, port: number): us_listen_socket | undefined {
  return opened(done => app.listen(port, LIBUS_LISTEN_EXCLUSIVE_PORT, done));
}

/** Other processes of the same user may listen on the port too, and the kernel shares connections out. */
export function listenBeside(app: TemplatedApp, port: number, host?: string): us_listen_socket | undefined {
  return opened(done => host === undefined ? app.listen(port, done) : app.listen(host, port, done));
}

/** The callback runs before `listen` returns. */
function opened(listen: (done: (socket: us_listen_socket | false) => void) => unknown): us_listen_socket | undefined {
  let listening: us_listen_socket | undefined;
  listen(socket => { listening = socket === false ? undefined : socket; });
  return listening;
}

export function refusal({ port, portNamed, production }: ListenConfig): string {
  if (portNamed) return `PORT ${port} cannot be opened: another program has it, or this user may not open it.`;
  if (production) return `The default port ${port} cannot be opened: another program has it. Name another one with PORT.`;
  return `None of the ports ${port} to ${port + attempts - 1} can be opened. Name a free one with PORT.`;
}
