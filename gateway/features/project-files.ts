/** A file of jobs/ or crons/ that was loaded. */
export type LoadedFile = {
  /** Without its folder and extension. */
  name: string;
  /** With both, for messages. */
  file: string;
  /** The members of its default export beside the handler. A number that JSON does not have is a text: Infinity, NaN. */
  says: Record<string, unknown>;
  /**
   * Calls the handler with the argument, which is JSON. @returns its value, as JSON, null for none
   * @throws the handler's error; the reason of the signal, where the handler ended after it; NotBegun; LastAttempt for a value that
   * cannot be kept
   */
  run: (argument: string, call: FileCall) => Promise<string | null>;
};

/** `id`: in the log, with lines of the console. `log`: receives lines of the run, each for so many lines. */
export type FileCall = { id: string; signal: AbortSignal; log?: (line: string, times?: number) => void };

/** The files of a folder: those that were loaded, those that could not be, and how many are no such files. */
export type ProjectFiles = {
  loaded: LoadedFile[]; refused: { name: string; file: string; reason: string }[]; skipped: number;
};

/** Folders whose files run beside requests. */
export type BackgroundFiles = Readonly<Record<'jobs' | 'crons', ProjectFiles>>;

export const NO_FILES: BackgroundFiles = { jobs: { loaded: [], refused: [], skipped: 0 }, crons: { loaded: [], refused: [], skipped: 0 } };
