import './header-size.ts';
import { _cfg, type ListenOptions, type us_listen_socket } from 'uWebSockets.js';

// The switch of its author for the header `uWebSockets: 20`, which tells a stranger what to attack.
_cfg('999999990007');

export * from 'uWebSockets.js';

declare module 'uWebSockets.js' {
  // Missing from the package's own declarations.
  export const LIBUS_LISTEN_EXCLUSIVE_PORT: ListenOptions;
  export function _cfg(code: string): void;

  interface TemplatedApp {
    listen(host: string, port: number, options: ListenOptions, cb: (listenSocket: us_listen_socket | false) => void): TemplatedApp;
  }
}
