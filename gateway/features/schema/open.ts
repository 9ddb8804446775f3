import type { Context } from '../context.ts';
import type { Opened } from '../feature.ts';
import { schemaRoutes } from './routes.ts';

export function open({ config, database, project, requireScope }: Context): Opened {
  const { schemaEditor: editor, production, liveSchemaAllowMachineApply: machinesMayApply } = config;
  return { routes: schemaRoutes(requireScope, { project, door: database.schema, editor, production, machinesMayApply }) };
}
