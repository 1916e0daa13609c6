import assert from 'node:assert/strict'
import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError, type Client } from '@temporalio/client'
import { workflowIdFor } from '#domain/signal.ts'
import { orderReport } from '#test/support/factories.ts'
import { exitAtOnce, signalTerms } from '#test/support/sample-signal.ts'
import { workflowAnnouncer } from '#worker/feed/workflow-announcer.ts'

describe('a signal that two open again at once', () => {
  const terms = signalTerms({ exit: exitAtOnce })
  const report = orderReport({ id: terms.signalId })
  const workflowId = workflowIdFor(terms.signalId)
  let told: unknown[]
  /** Temporal where another process has started the run a moment ago. */
  const beaten = (tell: () => Promise<void>) =>
    workflowAnnouncer(
      {
        workflow: {
          async signalWithStart() {
            throw new WorkflowExecutionAlreadyStartedError('runs', workflowId, 'signalWorkflow')
          },
          getHandle: (id: string) => ({
            async signal(_: object, news: unknown) {
              await tell()
              told.push([id, news])
            },
          }),
        },
      } as unknown as Client,
      'signals',
    ).reopen(terms, report)
  beforeEach(() => {
    told = []
  })

  it('a signal that two open again at once is opened by the first, and its run is told of the fill by the second', async () => {
    await beaten(async () => {})
    assert.deepEqual(told, [[workflowId, report]])
  })

  it('a signal that two open again at once is opened later when that run has ended before the second could tell it', async () => {
    const over = beaten(async () => {
      throw new WorkflowNotFoundError('over', workflowId, undefined)
    })
    await assert.rejects(over, WorkflowExecutionAlreadyStartedError)
  })
})
