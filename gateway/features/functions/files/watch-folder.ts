import { existsSync, watch, type FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Logger } from 'pino';

/** An editor saves in several steps. */
const QUIET = 100;

/** Calls `change` after files of the folder were saved, one call at a time. A folder that is not there yet is waited for. */
export function watchFolder(folder: string, change: () => Promise<void>, log: Logger): { close: () => Promise<void> } {
  let turn = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let isThere = existsSync(folder);
  let watcher = open();
  return {
    close() {
      clearTimeout(timer);
      watcher?.close();
      return turn;
    },
  };

  function open(): FSWatcher | undefined {
    const watched = isThere ? folder : dirname(folder);
    if (!existsSync(watched)) return undefined;
    const opened = watch(watched, { recursive: isThere }, (_event, name) => { if (isThere || name === basename(folder)) soon(); });
    return opened.on('error', error => { log.warn(`${watched} is no longer watched: ${error.message}`); });
  }

  function soon(): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (existsSync(folder) !== isThere) {
        watcher?.close();
        isThere = !isThere;
        watcher = open();
      }
      turn = turn.then(change).catch((error: unknown) => { log.error({ err: error }, `${folder} was not loaded again.`); });
    }, QUIET);
  }
}
