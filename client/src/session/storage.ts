/** Where a session is kept between requests, and how clients that share the place hear of changes. */

export interface SessionStorage {
  /** Is called first, with the address of the service's API: what is kept for several services is kept apart. */
  open?(base: string): void;
  /** The text that was set last; null where there is none. Undefined: a cookie may hold a session, which the service knows. */
  get(): string | null | undefined;
  set(text: string | null): void;
  /** Calls back after another tab has changed the text. */
  listen?(changed: () => void): void;
  /** Whether requests carry cookies. */
  readonly credentials?: 'include';
}

// The part of a browser that this file needs. A worker, or a server, has none of it.
declare const addEventListener: ((type: 'storage', listener: (event: { key: string | null }) => void) => void) | undefined;

const NAME = 'rowgate.session';

/** For one page, or one process. */
export function memory(text: string | null = null): SessionStorage {
  return { get: () => text, set: next => { text = next; } };
}

/**
 * The browser's localStorage, which every tab of the origin shares. Where it throws or is missing, the session is kept in memory. Its name
 * there is one for each service, unless it is given.
 */
export function local(own?: string): SessionStorage {
  let name = own ?? NAME;
  let spare: string | null | undefined;
  return {
    open(base) { name = own ?? `${NAME} ${base}`; },
    get() {
      if (spare !== undefined) return spare;
      try {
        return localStorage.getItem(name);
      } catch {
        return null;
      }
    },
    set(text) {
      try {
        if (text === null) localStorage.removeItem(name);
        else localStorage.setItem(name, text);
        spare = undefined;
      } catch {
        spare = text;
      }
    },
    // Not a BroadcastChannel: its message can arrive before the text that it is about.
    listen(changed) {
      if (typeof addEventListener !== 'function') return;
      addEventListener('storage', ({ key }) => { if (key === name || key === null) changed(); });
    },
  };
}

/**
 * For a service with AUTH_COOKIE: the refresh token is in a cookie that no script reads, the access token in memory. Tabs pass the session
 * on by a BroadcastChannel of this name, without it of one for each service.
 */
export function cookie(name?: string): SessionStorage {
  let text: string | null | undefined;
  let channel: InstanceType<typeof BroadcastChannel> | undefined;
  return {
    credentials: 'include',
    open(base) {
      channel ??= typeof BroadcastChannel === 'function' ? new BroadcastChannel(name ?? `${NAME} ${base}`) : undefined;
      // An open channel keeps a process of Node alive.
      (channel as { unref?(): void } | undefined)?.unref?.();
    },
    get: () => text,
    set(next) {
      text = next;
      channel?.postMessage(next);
    },
    listen(changed) {
      if (channel !== undefined) {
        channel.onmessage = event => {
          const { data } = event as { data: unknown };
          text = typeof data === 'string' ? data : null;
          changed();
        };
      }
    },
  };
}
