import { ApplicationFailure } from '@temporalio/common'
import type { ActivityInterceptorsFactory, InjectedSinks } from '@temporalio/worker'
import type { Logger } from '#config/logger.ts'
import { raiseAlertOf } from '#db/alert/alerts.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { untrusted } from '#domain/alert/alert.ts'
import {
  addresses,
  Misaddressed,
  openArguments,
  seal,
  UNTRUSTED,
  type UntrustedMessage,
  type UntrustedSinks,
} from '#workflows/messages/address-contract.ts'

/** Activities do only work that a workflow addressed to them, and address their results. */
export const addressedActivities: ActivityInterceptorsFactory = ({ info: { activityType } }) => ({
  inbound: {
    async execute(input, next) {
      let args: unknown[]
      try {
        args = openArguments(addresses.activity(activityType), input.args)
      } catch (error) {
        if (!(error instanceof Misaddressed)) throw error
        throw ApplicationFailure.nonRetryable(`Not trusted: ${error.message}`, UNTRUSTED)
      }
      const result = await next({ ...input, args })
      return seal(addresses.resultOf(activityType), result === undefined ? [] : [result])
    },
  },
})

const WORKFLOW_SUBJECT = /^signal-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/**
 * Logs messages that workflows did not trust, and alerts the owner of the signal. Called in replays too, in case the
 * first process crashed before the alert.
 */
export function alertsOfUntrusted({
  em,
  log,
}: {
  em: EntityManager
  log: Logger
}): InjectedSinks<UntrustedSinks> {
  const note = async ({ workflowId }: { workflowId: string }, what: UntrustedMessage): Promise<void> => {
    log.error({ workflowId, ...what }, 'an untrusted message came through Temporal')
    const [, id] = WORKFLOW_SUBJECT.exec(workflowId) ?? []
    if (id === undefined) return
    await raiseAlertOf(em.fork(), id, {
      ...untrusted(what),
      data: { ...what },
    })
  }
  return { untrusted: { note: { fn: note, callDuringReplay: true } } }
}
