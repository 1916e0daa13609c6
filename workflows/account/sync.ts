import { proxyActivities, setCurrentDetails, sleep } from '@temporalio/workflow'
import type { AccountSyncActivities } from '#activities/contract.ts'
import type { AccountSyncInput, AccountSyncOutcome } from './sync-contract.ts'

/** Retries are for a lost worker or database; broker trouble is an outcome. */
const { syncAccount } = proxyActivities<AccountSyncActivities>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '5 seconds',
  scheduleToCloseTimeout: '10 minutes',
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '20 seconds' },
})

const SECOND_TRY_AFTER = '500 milliseconds'

export async function accountSyncWorkflow(account: AccountSyncInput): Promise<AccountSyncOutcome> {
  setCurrentDetails('Asks the broker for orders, balances and positions')
  const summary = 'Copy orders, balances and positions from the broker'
  let done = await syncAccount.executeWithOptions({ summary }, [account])
  if (done.outcome === 'unreachable') {
    setCurrentDetails(`The broker gave no answer and is asked again: ${done.detail}`)
    await sleep(SECOND_TRY_AFTER, { summary: 'Before the broker is asked again' })
    done = await syncAccount.executeWithOptions({ summary: `${summary}, second try` }, [account])
  }
  setCurrentDetails(describe(done))
  return done
}

function describe(done: AccountSyncOutcome): string {
  switch (done.outcome) {
    case 'synced':
      return `Synced at ${done.syncedAt}`
    case 'rejected_keys':
      return `The broker rejects the keys: ${done.detail}`
    case 'unreachable':
      return `The broker gave no answer: ${done.detail}`
    case 'gone':
      return 'The account is not connected any more'
  }
}
