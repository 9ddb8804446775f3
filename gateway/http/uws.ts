import './header-size.ts';
import { type ListenOptions, type us_listen_socket } from 'uWebSockets.js';

export * from 'uWebSockets.js';

declare module 'uWebSockets.js' {
  /** Missing from the package's own declarations. */
  export const LIBUS_LISTEN_EXCLUSIVE_PORT: ListenOptions;

  interface TemplatedApp {
    listen(host: string, port: number, options: ListenOptions, cb: (listenSocket: us_listen_socket | false) => void): TemplatedApp;
  }
}
