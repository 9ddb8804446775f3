/** Where the embedded server speaks: decisions at info, trouble at warn, PostgreSQL's own lines at debug. A pino logger fits. */
export type EmbeddedLog = {
  debug(line: string): void;
  info(line: string): void;
  warn(line: string): void;
};

export const silent: EmbeddedLog = {
  debug() {},
  info() {},
  warn() {},
};
