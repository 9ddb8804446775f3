import { setting } from '../../config/setting.ts';
import { linkBase, names, text, wholeNumber } from '../../config/value.ts';

export const functionsSettings = {
  functionsDir: setting('SERVICE_FUNCTIONS_DIR', text, undefined,
    'Directory of the function files; unset: `functions` beside the collection files, else in the working directory.'),
  functionsOnly: setting('SERVICE_FUNCTIONS_ONLY', names, undefined,
    'Function files to serve, comma-separated names; unset: all. An unknown name stops the start.'),
  functionsExclude: setting('SERVICE_FUNCTIONS_EXCLUDE', names, Object.freeze<string[]>([]),
    'Function files not to serve, comma-separated names.'),
  functionsTimeout: setting('SERVICE_FUNCTIONS_TIMEOUT_MS', wholeNumber(0), 30_000,
    'Milliseconds in which a function has to begin its answer; 0 is no limit.'),
  functionsUpstream: setting('SERVICE_FUNCTIONS_UPSTREAM', linkBase, undefined,
    'Address of the start that serves functions, to which one with SERVICE_ROLE=api passes their requests on; unset: it refuses them.'),
  functionsMemory: setting('SERVICE_FUNCTIONS_MEMORY_MB', wholeNumber(96), 256,
    'Megabytes that one worker process of functions, or of jobs and schedules, may take.'),
  jobsDir: setting('SERVICE_JOBS_DIR', text, undefined,
    'Directory of the job files; unset: `jobs` beside the collection files, else in the working directory.'),
  cronsDir: setting('SERVICE_CRONS_DIR', text, undefined,
    'Directory of the files of scheduled jobs; unset: `crons` beside the collection files, else in the working directory.'),
};
