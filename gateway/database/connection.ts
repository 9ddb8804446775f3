import postgres from 'postgres';

/**
 * Values travel as text and the server reads them: a client's own conversion would lose digits of numbers,
 * microseconds of dates, and turn the text 'true' into false. Numbers are the types' fixed OIDs.
 */
const AS_TEXT = { serialize: String, parse: (text: string) => text };
const TEXT_TYPES = {
  boolean: { to: 16, from: [16], ...AS_TEXT },
  bytea: { to: 17, from: [17], ...AS_TEXT },
  json: { to: 114, from: [114], ...AS_TEXT },
  jsonb: { to: 3802, from: [3802], ...AS_TEXT },
  date: { to: 1082, from: [1082], ...AS_TEXT },
  timestamp: { to: 1114, from: [1114], ...AS_TEXT },
  timestamptz: { to: 1184, from: [1184], ...AS_TEXT },
};

// fetch_types is off everywhere: when a connection breaks while the driver asks for the types, it throws outside of any handler and ends
// the process. Arrays therefore travel as JSON, or as PostgreSQL's text.

/**
 * The setting that the text of every statement of the service assumes, regardless of the database's default. Poolers know this parameter.
 */
const SESSION = { standard_conforming_strings: 'on' };

export type ConnectOptions = { connectTimeout: number; idleTimeout?: number; applicationName: string; startup?: Record<string, string> };

/** The database that a URL names, percent-decoded as libpq does it: the driver would take it as it is written. */
export function databaseOf(url: string): { database?: string } {
  const [, name = ''] = /^\w+:\/\/[^/?]*\/([^?]*)/.exec(url) ?? [];
  if (name === '') return {};
  try {
    return { database: decodeURIComponent(name) };
  } catch {
    return { database: name };
  }
}

/** One connection that only ever sees compiled statements: everything in and out of it is text. */
export function textConnection(url: string, { connectTimeout, applicationName, startup }: ConnectOptions): postgres.Sql {
  return postgres<Record<string, postgres.PostgresType>>(url, {
    ...databaseOf(url),
    max: 1,
    // postgres.js counts in seconds.
    connect_timeout: Math.ceil(connectTimeout / 1000),
    // A lane throws away what cannot connect. The driver still tries once for each statement that was queued there, and
    // by default waits up to 20 s between two: those of a replica that was stopped took a minute to reach the primary.
    backoff: () => 0,
    connection: { ...startup, ...SESSION, application_name: applicationName },
    fetch_types: false,
    types: TEXT_TYPES as unknown as Record<string, postgres.PostgresType>,
    onnotice: () => undefined,
  });
}

/** The owner's connections: migrations, the catalog, compiling. Never a statement of a caller. */
export function ownerConnection(url: string, options: ConnectOptions, size: number): postgres.Sql {
  const { connectTimeout, idleTimeout = 0, applicationName } = options;
  return postgres(url, {
    ...databaseOf(url),
    max: size,
    connect_timeout: Math.ceil(connectTimeout / 1000),
    idle_timeout: idleTimeout / 1000,
    // The caller decides whether to retry: by default the driver waits up to 20 s before it connects.
    backoff: () => 0,
    fetch_types: false,
    connection: { ...SESSION, application_name: applicationName },
    onnotice: () => undefined,
  });
}
