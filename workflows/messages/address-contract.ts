/**
 * An envelope names the message of a payload, which is encrypted for one workflow or activity
 * (`config/payload-codec.ts`), so that no other handler accepts it. It holds all arguments: none can be exchanged,
 * added or removed.
 */

export interface Envelope {
  for: string
  content: unknown[]
}

export const addresses = {
  start: (workflowType: string) => `start ${workflowType}`,
  /** Temporal runs an update once for each id. */
  update: (name: string, id: string) => `update ${name} ${id}`,
  signal: (name: string) => `signal ${name}`,
  activity: (type: string) => `activity ${type}`,
  resultOf: (type: string) => `result of ${type}`,
}

export class Misaddressed extends Error {
  override readonly name = 'Misaddressed'
}

interface UnreadableMark {
  unreadable: string
}

export interface UntrustedMessage {
  /** Claimed address, such as `signal orderChanged`. */
  address: string
  reason: string
  at: string
}

/** Alerts are raised outside of the history. */
export type UntrustedSinks = { untrusted: { note(what: UntrustedMessage): void } }

export const UNTRUSTED = 'Untrusted'

export const seal = (address: string, content: unknown[]): Envelope => ({ for: address, content })

/** Throws {@link Misaddressed} for anything else. */
export function open(address: string, value: unknown): unknown[] {
  const { for: made, content, unreadable } = (value ?? {}) as Partial<Envelope & UnreadableMark>
  if (unreadable !== undefined) throw new Misaddressed(unreadable)
  if (typeof made !== 'string' || !Array.isArray(content)) throw new Misaddressed('It names no message')
  if (made !== address) throw new Misaddressed(`It was made for "${made}" and came as "${address}"`)
  return content
}

/** Throws {@link Misaddressed} for anything but one envelope. */
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

/** Seals the messages of every client, but no queries, which change nothing. */
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
