import {
  ApplicationFailure,
  proxySinks,
  setDefaultSignalHandler,
  type Sinks,
  type WorkflowInterceptors,
  workflowInfo,
} from '@temporalio/workflow'
import { addresses, Misaddressed, open, openArguments, seal } from './address-contract.ts'
import { workflowNow } from './workflow-time.ts'

/** Something that came through Temporal and was not believed. */
export interface Unbelieved {
  /** The message or step that it came as, such as `signal orderChanged`. */
  address: string
  reason: string
  /** UTC instant, the same in every replay. */
  at: string
}

/** Where a worker is told of it: alerts are raised outside of the history. */
export interface UnbelievedSinks extends Sinks {
  unbelieved: { note(what: Unbelieved): void }
}

/** The type of the failure with which anything that is not believed is answered. */
export const UNBELIEVED = 'Unbelieved'

const { unbelieved } = proxySinks<UnbelievedSinks>()

function note(address: string, { message: reason }: Error): void {
  unbelieved.note({ address, reason, at: workflowNow() })
}

/** Runs it, and makes what it finds not to be ours known and a failure that is not repeated. */
function believing<T>(address: string, opens: () => T): T {
  try {
    return opens()
  } catch (error) {
    if (!(error instanceof Misaddressed)) throw error
    note(address, error)
    throw ApplicationFailure.nonRetryable(`Not believed: ${error.message}`, UNBELIEVED)
  }
}

/** Started by schedules, which give them no argument: there is nothing to believe. */
const isWithoutInput = (workflowType: string, args: unknown[]): boolean =>
  args.length === 0 && (workflowType === 'allAccountsSyncWorkflow' || workflowType === 'dailySnapshotsWorkflow')

interface Step {
  activityType: string
  args: unknown[]
}

/** Addresses what is asked of an activity, and believes only an answer to that. */
async function ask<I extends Step>(input: I, next: (input: I) => Promise<unknown>): Promise<unknown> {
  const { activityType, args } = input
  const result = await next({ ...input, args: [seal(addresses.activity(activityType), args)] })
  const address = addresses.resultOf(activityType)
  return believing(address, () => open(address, result)[0])
}

/**
 * Stands between a workflow and everything that Temporal brings it. A message that was not made for it, or that cannot be
 * read, is dropped (a signal) or refused (an update), and the story goes on; a workflow that cannot believe its own input
 * fails before it does anything; an activity's result that cannot be believed is as good as none. Loaded by the SDK.
 */
export const interceptors = (): WorkflowInterceptors => ({
  inbound: [
    {
      async execute(input, next) {
        const { workflowType } = workflowInfo()
        const address = addresses.start(workflowType)
        const args = isWithoutInput(workflowType, input.args)
          ? []
          : believing(address, () => openArguments(address, input.args))
        const result = next({ ...input, args })
        // By now the workflow has set its own handlers: these are of no message that there is.
        setDefaultSignalHandler((name: string) =>
          note(addresses.signal(name), new Misaddressed('There is no such message')),
        )
        return result
      },

      async handleSignal(input, next) {
        const address = addresses.signal(input.signalName)
        let args: unknown[]
        try {
          args = openArguments(address, input.args)
        } catch (error) {
          if (!(error instanceof Misaddressed)) throw error
          return note(address, error)
        }
        return next({ ...input, args })
      },

      validateUpdate(input, next) {
        const address = addresses.update(input.name, input.updateId)
        next({ ...input, args: believing(address, () => openArguments(address, input.args)) })
      },

      async handleUpdate(input, next) {
        const address = addresses.update(input.name, input.updateId)
        return next({ ...input, args: believing(address, () => openArguments(address, input.args)) })
      },
    },
  ],
  outbound: [
    {
      scheduleActivity: ask,
      scheduleLocalActivity: ask,
      continueAsNew: (input, next) =>
        next({ ...input, args: [seal(addresses.start(input.options.workflowType), input.args)] }),
      startChildWorkflowExecution: (input, next) =>
        next({
          ...input,
          options: {
            ...input.options,
            args: [seal(addresses.start(input.workflowType), input.options.args)],
          },
        }),
    },
  ],
})
