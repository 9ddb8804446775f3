/** Adds pgvector to the embedded server where it can be built. Run once after installing; says in one line what came of it. */
import { installedBinaries } from './binaries.ts';
import { addVector } from './vector-build.ts';

const said = await addVector(installedBinaries());
if (said !== undefined) console.log(said);
