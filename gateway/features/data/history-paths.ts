export const HISTORY = '/data/:slug/:id/history';
export const REVERT = `${HISTORY}/:historyId/revert`;

/** Its row of the feature table, which SERVICE_HISTORY switches. */
export const HISTORY_ROW = { feature: 'history', paths: [HISTORY, REVERT], built: true as const };
