import type { CollectionFiles } from '../../collections/collection-files.ts';
import { commitEdit, undoHalfEdit } from '../../collections/edit/committed-edit.ts';
import { editOf, fileOf, type FileEdit } from '../../collections/edit/file-edit.ts';
import { GitError, headOf, isChanged, pathIn, type Repository } from '../../collections/edit/repository.ts';
import { ApiError } from '../../error.ts';
import type { Caller } from '../../identity/caller.ts';
import { reasonOf } from '../../process/ending.ts';
import { findRepository, planRefusal, refusalError, type Refusal } from './availability.ts';
import type { Proposal } from './change.ts';
import { messageOf, planAnswer, refused, withoutOwn } from './plan-answer.ts';
import type { Planner, ProjectPlan, SchemaOptions } from './options.ts';

export type LiveSchema = {
  status: (caller: Caller) => Promise<object>;
  /** @throws ApiError 400 SCHEMA_CHANGE_FAILED for what boot would refuse, in its words. */
  plan: (proposal: Proposal, planner: Planner) => Promise<object>;
  /** @throws ApiError 400 SCHEMA_CHANGE_FAILED too for what the database would refuse: nothing is written then. */
  apply: (proposal: Proposal, caller: Caller, signal: AbortSignal) => Promise<object>;
};

type Planned = { edit: FileEdit; before: CollectionFiles; after: CollectionFiles; planned: ProjectPlan };

/** A proposed collection as a change of its file, of git and of the database, in this order: what is committed a start brings as well. */
export function createLiveSchema(options: SchemaOptions): LiveSchema {
  const { project, door, machinesMayApply } = options;
  return { status, plan, apply };

  async function status(caller: Caller): Promise<object> {
    const found = await findRepository(options);
    const canPlan = planRefusal(options) === undefined;
    if ('code' in found) return { enabled: false, canPlan, code: found.code, reason: found.reason };
    const refusal = applyRefusal(caller);
    return {
      enabled: true, canPlan, canApply: refusal === undefined,
      ...(refusal && { applyRefusedBecause: refusal.reason, applyRefusedCode: refusal.code }),
      repository: found.root, ...branchOf(found),
    };
  }

  async function plan(proposal: Proposal, planner: Planner): Promise<object> {
    const refusal = planRefusal(options);
    if (refusal !== undefined) throw refusalError(refusal);
    const { edit, planned } = await planEdit(proposal, planner);
    const found = await findRepository(options);
    return planAnswer(planned, messageOf(planned, proposal), 'code' in found ? edit.name : pathIn(found.root, edit.path));
  }

  async function apply(proposal: Proposal, caller: Caller, signal: AbortSignal): Promise<object> {
    const found = await findRepository(options);
    if ('code' in found) throw refusalError(found);
    const refusal = applyRefusal(caller);
    if (refusal !== undefined) throw refusalError(refusal);
    const asker = { uid: caller.uid, signal };
    return door.exclusively(async () => {
      await undoHalfEdit(found.root).catch(refuseForGit);
      return applied(found, await planEdit(proposal, { ...asker, mayEvaluate: true }), proposal, caller);
    }, asker);
  }

  async function applied(
    repository: Repository, { edit, before, after, planned }: Planned, proposal: Proposal, caller: Caller,
  ): Promise<object> {
    const file = pathIn(repository.root, edit.path);
    const summary = messageOf(planned, proposal);
    const { applicable, changes, verdict, statements, withheldConstraints, followUp } = planAnswer(planned, summary, file);
    if (!applicable) {
      throw new ApiError(400, 'SCHEMA_CHANGE_UNAPPLICABLE', 'The change needs a migration; nothing was written.', { changes });
    }
    if (await isChanged(repository, [file]).catch(refuseForGit)) {
      const problem = `${file} has changes that are not committed; nothing was written.`;
      throw new ApiError(409, 'SCHEMA_EDIT_DIRTY_TREE', problem, { files: [file] });
    }
    await door.rehearse(after).catch((error: unknown) => { throw refused('SCHEMA_CHANGE_FAILED', error); });
    const sha = await (edit.was === edit.text ? headOf(repository) : commitEdit(repository, edit, summary, caller.uid)).catch(refuseForGit);
    const outcome = await door.apply?.(after, before).then(
      schemaVersion => ({ applied: true, schemaVersion }),
      (error: unknown) => ({ applied: false, applyError: reasonOf(error) }));
    return {
      committed: { sha, ...branchOf(repository), files: [file] },
      ...outcome, statements, classified: { changes, verdict, applicable }, summary, withheldConstraints, followUp,
    };
  }

  async function planEdit({ collectionId, collection }: Proposal, planner: Planner): Promise<Planned> {
    const { folder = '', load } = project;
    try {
      const edit = editOf(folder, collectionId, fileOf(folder, collectionId), collection);
      const [before, after] = [load(), load(new Map([[edit.name, edit.text]]))];
      if (after === undefined) throw new Error('A folder with a file has collections.');
      const nothing = { ...after, project: { ...after.project, collections: [] } };
      return { edit, before: before ?? nothing, after, planned: withoutOwn(await door.plan(after, planner), collectionId) };
    } catch (error) {
      throw refused('SCHEMA_CHANGE_FAILED', error);
    }
  }

  function applyRefusal({ kind, uid }: Caller): Refusal | undefined {
    if (door.apply === undefined) {
      const reason = 'The service may not change the database (SERVICE_MIGRATE_ON_BOOT=none).';
      return { status: 400, code: 'SCHEMA_CHANGE_FAILED', reason };
    }
    const isMachine = kind === 'service' || uid.startsWith('api-key:');
    if (!isMachine || machinesMayApply) return undefined;
    return {
      status: 403, code: 'SCHEMA_EDIT_REQUIRES_A_PERSON',
      reason: 'A key may plan changes, and not apply them (SERVICE_LIVE_SCHEMA_ALLOW_MACHINE_APPLY).',
    };
  }
}

function branchOf({ branch }: Repository): object {
  return branch === undefined ? {} : { branch };
}

function refuseForGit(error: unknown): never {
  if (!(error instanceof GitError)) throw error;
  throw new ApiError(400, 'SCHEMA_CHANGE_FAILED', `git refused it; nothing was written. ${error.message}`, undefined, { cause: error });
}
