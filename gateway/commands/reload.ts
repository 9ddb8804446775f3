import { askProject } from './ask-project.ts';

/** `rowgate reload`: every gateway of the database looks at its tables again, without a restart. */
export function reloadCommand({ json }: { json: boolean }): Promise<void> {
  return askProject('reload', async owner => {
    await owner`select service.reload()`;
    return json ? JSON.stringify({ reload: 'announced' }) : 'Every gateway of this database was asked to look at its tables again.';
  });
}
