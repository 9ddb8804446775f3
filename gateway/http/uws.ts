import './header-size.ts';
import { type ListenOptions } from 'uWebSockets.js';

export * from 'uWebSockets.js';

declare module 'uWebSockets.js' {
  /** Missing from the package's own declarations. */
  export const LIBUS_LISTEN_EXCLUSIVE_PORT: ListenOptions;
}
