import type postgres from 'postgres';
import type { Config } from './config.ts';

export type Flag = { type: 'boolean' | 'string'; short?: string; does: string };
export type Given = { flags: Record<string, unknown>; words: string[] };

/** `direct`: past any pooler. `own`: never the example's database. `anySchema`: that of another version, or none, will do. */
export type Joining = { direct?: true; own?: true; anySchema?: true };

/**
 * Prints what `ask` returns, asked of the project in the current folder as the owner of its database.
 * @throws BootError for a database without the schema of this version.
 */
export type AskProject = (
  command: string, ask: (owner: postgres.Sql, config: Config) => Promise<string>, joining?: Joining,
) => Promise<void>;

/** One `rowgate` command. */
export type Command = {
  does: string;
  /** Words that may follow it, and how many. */
  takes?: { words: string; most: number };
  flags?: Record<string, Flag>;
  run: (given: Given, askProject: AskProject) => unknown;
};

export type Commands = Readonly<Record<string, Command>>;
