import { BootError } from '../../error.ts';
import type { Config } from '../config.ts';
import type { FilesContext, SharedContext } from '../feature.ts';
import type { BackgroundFiles } from '../project-files.ts';
import { isServed, runsJobs, runsSchedules } from '../role.ts';
import { discover, projectFolder, type Discovered } from './files/discover.ts';

type Found = Record<'jobs' | 'crons', Discovered>;
type Open = { files: BackgroundFiles; close: () => Promise<void> };

const FOLDERS = ['jobs', 'crons'] as const;
const NONE: Discovered = { files: [], refused: [] };
/** Milliseconds for mail that is under way at the end. */
const MAILING = 1_000;

/** @throws BootError for tasks and ids that a file and the settings file both have, and for settings of a file that is not there. */
export function prepare({ config }: SharedContext): Promise<void> {
  const { jobs, crons } = find(config);
  const { jobs: { tasks = {} } = {}, crons: settings = {} } = config.settingsFile;
  const problems = [
    ...jobs.files.filter(({ name }) => Object.hasOwn(tasks, name))
      .map(({ name, path }) => `jobs.tasks.${name} of the settings file and ${path} do the same task: remove one of them.`),
    ...crons.files.filter(({ name }) => Object.hasOwn(settings, name) && settings[name]?.function !== undefined)
      .map(({ name, path }) => `crons.${name} of the settings file has a function, and there is ${path}: remove one of them.`),
    ...(hasSchedules(config) ? Object.entries(settings) : [])
      .filter(([id, { function: name }]) => name === undefined && !crons.files.some(file => file.name === id))
      .map(([id]) => `crons.${id} of the settings file has no function, and there is no file `
        + `${projectFolder(config.cronsDir, 'crons', config)}/${id}.ts that it could change.`),
  ];
  return problems.length === 0 ? Promise.resolve() : Promise.reject(new BootError(problems.join('\n')));
}

/** Loads the files of jobs/ and crons/ that this start runs; without one it starts no process. */
export async function files(context: FilesContext): Promise<Open> {
  const { config, database, log } = context;
  const found = find(config);
  for (const [folder, { refused }] of Object.entries(found)) {
    for (const { file, reason } of refused) log.warn(`${folder}/${file} is not loaded: ${reason}.`);
  }
  if (found.jobs.files.length + found.crons.files.length === 0) return { files: withoutFiles(found), close: () => Promise.resolve() };
  const { openBackground } = await import('./files/background.ts');
  const { openAnswers } = await import('./files/answers.ts');
  const mail = context.mail();
  const answers = openAnswers({ config, database, mail, lent: await context.lent(mail) });
  const background = await openBackground({
    config, find: () => find(config), answer: answers.answer, log,
    folders: FOLDERS.filter(name => found[name].files.length > 0).map(name => projectFolder(config[`${name}Dir`], name, config)),
  });
  return {
    files: background.files,
    async close() {
      await background.close();
      await answers.close();
      await mail.close(MAILING);
    },
  };
}

/** The files of jobs/ and crons/ that this start runs. */
export function find(config: Config): Found {
  return {
    jobs: runsJobs(config) ? discover(projectFolder(config.jobsDir, 'jobs', config), 'jobs') : NONE,
    crons: hasSchedules(config) ? discover(projectFolder(config.cronsDir, 'crons', config), 'crons') : NONE,
  };
}

/** Without timers a start that is asked to runs them by hand. */
function hasSchedules(config: Config): boolean {
  return runsSchedules(config) || isServed({}, config);
}

function withoutFiles({ jobs, crons }: Found): BackgroundFiles {
  const none = { loaded: [], refused: [] };
  return { jobs: { ...none, skipped: jobs.refused.length }, crons: { ...none, skipped: crons.refused.length } };
}
