import type { Logger } from 'pino';
import { problemsOf } from '../../json/problems.ts';
import { jobText, type Handler, type Handlers, type Job, type UnderWay } from '../job.ts';
import type { LoadedFile, ProjectFiles } from '../project-files.ts';
import { fileSchema, isOwn, OWN, TIMEOUT, type TaskSetting } from './settings-file.ts';

type Said = Pick<TaskSetting, 'maxAttempts' | 'timeoutSeconds'>;

/** Handlers in files, by task. A file that says something wrong has none. */
export function fileHandlers({ loaded }: ProjectFiles, log: Logger): Handlers {
  return Object.fromEntries(loaded.flatMap(file => {
    const problems = [...isOwn(file.name) ? [`its name ${OWN}`] : [], ...problemsOf(fileSchema, file.says)];
    if (problems.length > 0) log.warn(`${file.file} is not loaded: ${problems.join('; ')}.`);
    return problems.length > 0 ? [] : [[file.name, handlerOf(file, file.says)]];
  }));
}

function handlerOf({ run }: LoadedFile, { maxAttempts, timeoutSeconds = TIMEOUT }: Said): Handler {
  return { run: perform, ...(maxAttempts !== undefined && { maxAttempts }) };

  async function perform(job: Job, { signal }: UnderWay): Promise<unknown> {
    const over = new AbortController();
    const onAbort = () => { over.abort(signal.reason); };
    const late = setTimeout(() => { over.abort(new Error(`It took longer than ${timeoutSeconds} s.`)); }, timeoutSeconds * 1_000);
    signal.addEventListener('abort', onAbort);
    try {
      const result = await run(jobText(job), { id: job.id, signal: over.signal });
      return result === null ? undefined : JSON.parse(result);
    } finally {
      clearTimeout(late);
      signal.removeEventListener('abort', onAbort);
    }
  }
}
