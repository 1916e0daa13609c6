import type { TestWorkflowEnvironment } from '@temporalio/testing'
import { closeAtEnd } from '../support/servers.ts'
import { SignalStage } from '../support/signal-stage.ts'

let opened: Promise<SignalStage & { environment: TestWorkflowEnvironment }> | undefined

/** The stage on which every test of this folder plays, with its worker running; opened when first asked for. */
export const theStage = () => (opened ??= open())

async function open() {
  const stage = await SignalStage.onTimeSkippingServer()
  closeAtEnd(async () => {
    await stage.stopWorker()
    await stage.environment.teardown()
  })
  return stage
}

/**
 * Lets minutes pass, and half a second more, because a timer starts when the task that asks for it ends. While a
 * message is still to come this is the way to reach it: waiting for a result skips the years until the server's limit.
 */
export const letPass = async (minutes: number): Promise<void> =>
  (await theStage()).environment.sleep(minutes * 60_000 + 500)
