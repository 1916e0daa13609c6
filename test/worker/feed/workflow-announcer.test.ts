import assert from 'node:assert/strict'
import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client'
import { workflowIdFor } from '#domain/signal/signal.ts'
import { exitAtOnce, signalTerms } from '#test/support/sample-signal.ts'
import { workflowAnnouncer } from '#worker/feed/workflow-announcer.ts'
import type { SignalInput } from '#workflows/signal/contract.ts'

describe('a signal whose workflow is to run', () => {
  const terms = signalTerms({ exit: exitAtOnce })
  const workflowId = workflowIdFor(terms.signalId)
  const ensureRunning = (start: (type: string, options: unknown) => Promise<void>) =>
    workflowAnnouncer({ workflow: { start } } as unknown as Client, 'signals').ensureRunning({
      terms,
      status: 'executed',
      isSent: true,
    })

  it('a signal whose workflow is to run is started under its one id, to go on from the ledger', async () => {
    const started: unknown[] = []
    await ensureRunning(async (_, options) => {
      const { args, ...rest } = options as { args: [SignalInput]; workflowId: string }
      started.push(rest.workflowId, args[0])
    })
    assert.deepEqual(started, [workflowId, { terms, loads: true }])
  })

  it('a signal whose workflow another process has started a moment ago runs', async () => {
    await ensureRunning(async () => {
      throw new WorkflowExecutionAlreadyStartedError('runs', workflowId, 'signalWorkflow')
    })
  })

  it('a signal whose workflow cannot be started is tried again by any asker', async () => {
    const down = ensureRunning(async () => {
      throw new Error('Temporal is away')
    })
    await assert.rejects(down, /is away/)
  })
})
