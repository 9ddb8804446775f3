import type postgres from 'postgres';
import { problemsOf } from '../../json/problems.ts';
import type { LoadedFile, ProjectFiles } from '../project-files.ts';
import type { CronJob, Definition } from '../cron-job.ts';
import { fileSchema, isOwn, OWN, type CronSetting, type CronsSetting } from './settings-file.ts';
import { cronProblems, DEFAULTS } from './sql-jobs.ts';

/** A file whose job is not due: what it says of itself, empty where that is not known, and why. */
export type Rejected = { id: string; name: string; schedule: string; reason: string };
export type FileJobs = { jobs: CronJob[]; rejected: Rejected[] };

type Said = { file: LoadedFile; definition: Definition; problems: string[] };

/** The jobs whose handlers are files, as the settings file changes them. */
export async function fileJobs(owner: postgres.Sql, { loaded, refused }: ProjectFiles, settings: CronsSetting): Promise<FileJobs> {
  const all = loaded.map(file => said(file, Object.hasOwn(settings, file.name) ? settings[file.name] : undefined));
  const sound = all.filter(({ problems }) => problems.length === 0).map(({ definition }) => definition);
  for (const { path, problem } of await cronProblems(owner, Object.fromEntries(sound.map(({ id, ...own }) => [id, own])))) {
    const [, id, key = ''] = /^(.*)\.(\w+)$/s.exec(path) ?? [];
    all.find(({ definition }) => definition.id === id)?.problems.push(`${key}: ${problem}`);
  }
  return {
    jobs: all.flatMap(({ file, definition, problems }) => problems.length > 0 ? [] : [{
      ...definition,
      run: (context, signal, log) => file.run(JSON.stringify(context), { id: definition.id, signal, log }),
    }]),
    rejected: [
      ...all.filter(({ problems }) => problems.length > 0).map(({ definition, problems }) => rejectedOf(definition, problems.join('; '))),
      ...refused.map(({ name, reason }) => rejectedOf({ id: name }, reason)),
    ].sort((a, b) => a.id < b.id ? -1 : 1),
  };
}

function said({ says, ...file }: LoadedFile, setting: CronSetting | undefined): Said {
  const { timeoutSeconds, ...others } = says;
  const isUnlimited = timeoutSeconds === 'Infinity';
  const definition = { ...DEFAULTS, ...says, ...isUnlimited && { timeoutSeconds: null }, ...setting, id: file.name } as Definition;
  const problems = problemsOf(fileSchema, isUnlimited ? others : says);
  return { file: { says, ...file }, definition, problems: [...isOwn(file.name) ? [OWN] : [], ...problems] };
}

function rejectedOf({ id, name, schedule }: Partial<Definition> & { id: string }, reason: string): Rejected {
  const textOf = (value: unknown) => typeof value === 'string' ? value : '';
  return { id, name: textOf(name), schedule: textOf(schedule), reason };
}
