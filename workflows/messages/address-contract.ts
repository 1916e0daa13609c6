/**
 * The address of every payload that travels through Temporal. A payload is encrypted for one workflow, or one of its
 * activities (see `config/payload-codec.ts`); inside, an envelope names the message that the content belongs to. So a
 * payload for one handler is not accepted by another handler, and an activity's input is not accepted as its result. An
 * envelope holds all the arguments, so none can be exchanged, added or removed, and a message without arguments has an
 * envelope too.
 */

/** The only argument, or the result, that Temporal sees; it holds the real ones. */
export interface Envelope {
  for: string
  content: unknown[]
}

/** The names that envelopes carry. */
export const addresses = {
  start: (workflowType: string) => `start ${workflowType}`,
  /** With the id: Temporal runs an update once, however often it is sent with the same id. */
  update: (name: string, id: string) => `update ${name} ${id}`,
  signal: (name: string) => `signal ${name}`,
  activity: (type: string) => `activity ${type}`,
  resultOf: (type: string) => `result of ${type}`,
}

/** Content that was made for another address, or cannot be read. */
export class Misaddressed extends Error {
  override readonly name = 'Misaddressed'
}

/** The codec of a worker puts this in the place of a payload that it cannot read. */
interface UnreadableMark {
  unreadable: string
}

/** A message or result that came through Temporal and was not trusted. */
export interface UntrustedMessage {
  /** The message or step it claimed to be, such as `signal orderChanged`. */
  address: string
  reason: string
  /** UTC instant, the same in every replay. */
  at: string
}

/** Workflows report it to their worker by this sink: alerts are raised outside of the history. */
export type UntrustedSinks = { untrusted: { note(what: UntrustedMessage): void } }

/** Type of the failure that answers an untrusted message. */
export const UNTRUSTED = 'Untrusted'

export const seal = (address: string, content: unknown[]): Envelope => ({ for: address, content })

/** The content of an envelope. Throws {@link Misaddressed} when the value is none, or one for something else. */
export function open(address: string, value: unknown): unknown[] {
  const { for: made, content, unreadable } = (value ?? {}) as Partial<Envelope & UnreadableMark>
  if (unreadable !== undefined) throw new Misaddressed(unreadable)
  if (typeof made !== 'string' || !Array.isArray(content)) throw new Misaddressed('It names no message')
  if (made !== address) throw new Misaddressed(`It was made for "${made}" and came as "${address}"`)
  return content
}

/** As {@link open}, for the arguments of a call: exactly one envelope. */
export function openArguments(address: string, values: readonly unknown[]): unknown[] {
  if (values.length !== 1) throw new Misaddressed('It is not one envelope')
  return open(address, values[0])
}

interface Starting {
  options: { args: unknown[] }
  workflowType: string
}

interface Updating {
  updateName: string
  args: unknown[]
  options: { updateId?: string }
}

interface StartingToUpdate {
  workflowType: string
  workflowStartOptions: { args: unknown[] }
  updateName: string
  updateArgs: unknown[]
  updateOptions: { updateId?: string }
}

const started = <T extends Starting>(input: T): T => ({
  ...input,
  options: { ...input.options, args: [seal(addresses.start(input.workflowType), input.options.args)] },
})

/**
 * Puts everything that a client sends into envelopes; an interceptor of the SDK's workflow client, for every client of
 * our workflows. Queries stay as they are: they change nothing, and Temporal's own UI sends them too.
 *
 * @param newId makes the ids of updates that were given none
 */
export const addressMessages = (newId: () => string) => ({
  startWithDetails: <I extends Starting, O>(input: I, next: (input: I) => O): O => next(started(input)),

  signal: <I extends { signalName: string; args: unknown[] }, O>(input: I, next: (input: I) => O): O =>
    next({ ...input, args: [seal(addresses.signal(input.signalName), input.args)] }),

  signalWithStart: <I extends Starting & { signalName: string; signalArgs: unknown[] }, O>(
    input: I,
    next: (input: I) => O,
  ): O =>
    next({
      ...started(input),
      signalArgs: [seal(addresses.signal(input.signalName), input.signalArgs)],
    }),

  startUpdate: <I extends Updating, O>(input: I, next: (input: I) => O): O => {
    const { updateName, args, options } = input
    const { updateId = newId() } = options
    return next({
      ...input,
      args: [seal(addresses.update(updateName, updateId), args)],
      options: { ...options, updateId },
    })
  },

  startUpdateWithStart: <I extends StartingToUpdate, O>(input: I, next: (input: I) => O): O => {
    const { workflowType, workflowStartOptions, updateName, updateArgs, updateOptions } = input
    const { updateId = newId() } = updateOptions
    return next({
      ...input,
      workflowStartOptions: {
        ...workflowStartOptions,
        args: [seal(addresses.start(workflowType), workflowStartOptions.args)],
      },
      updateArgs: [seal(addresses.update(updateName, updateId), updateArgs)],
      updateOptions: { ...updateOptions, updateId },
    })
  },
})
