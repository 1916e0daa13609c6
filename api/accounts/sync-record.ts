import type { AccountSyncAnswer, AccountSyncsAnswer } from './answers.ts'
import type { AccountSync } from './sync-commands.ts'

export const presentSync = ({ syncedAt }: AccountSync): AccountSyncAnswer => ({
  success: true,
  message: syncedAt === null ? 'The sync is still running' : 'The account is synced',
  syncedAt,
})

export const presentSyncs = (syncs: readonly AccountSync[]): AccountSyncsAnswer => ({
  success: syncs.every(({ failure }) => failure === null),
  message: describeSyncs(syncs),
  accounts: syncs.map(({ accountId, syncedAt, failure }) => ({
    accountId,
    success: failure === null,
    syncedAt,
    ...(failure && { error: failure.code, message: failure.message }),
  })),
})

function describeSyncs(syncs: readonly AccountSync[]): string {
  if (syncs.length === 0) return 'No account is connected'
  const failed = syncs.filter(({ failure }) => failure !== null).length
  const done = syncs.filter(({ syncedAt }) => syncedAt !== null).length
  const running = syncs.length - failed - done
  return [
    `${done} of ${syncs.length} accounts are synced`,
    ...(running > 0 ? [`${running} still running`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
  ].join(', ')
}
