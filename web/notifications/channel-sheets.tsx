import type { ReactNode } from 'react'
import { HOUR_MS, MINUTE_MS } from '#domain/time/instants.ts'
import { ask, dataOf } from '../connection/ask.ts'
import { serviceNow } from '../connection/clock.ts'
import { Checkbox } from '../parts/checkbox.tsx'
import { Field } from '../parts/field.tsx'
import { FormSheet, textOf, useSend } from '../parts/form.tsx'
import { readChannelsAgain } from './data.ts'
import { removeChannel } from './device.ts'
import { EVENTS, URGENCIES, type Channel } from './words.ts'

interface ChecksProps<Value extends string> {
  legend: string
  name: string
  names: Readonly<Record<Value, string>>
  /** All by default. */
  chosen?: readonly Value[]
}

const valuesOf = <Value extends string>(names: Readonly<Record<Value, string>>) =>
  Object.keys(names) as Value[]

export const Checks = <Value extends string>({ legend, name, names, chosen }: ChecksProps<Value>) => (
  <fieldset className="grid grid-cols-2 gap-x-3">
    <legend className="mb-1 font-medium">{legend}</legend>
    {valuesOf(names).map((each) => (
      <Checkbox key={each} name={name} value={each} defaultChecked={chosen?.includes(each) ?? true}>
        {names[each]}
      </Checkbox>
    ))}
  </fieldset>
)

export const chosenIn = <Value extends string>(data: FormData, name: string, names: Record<Value, string>) =>
  valuesOf(names).filter((each) => data.getAll(name).includes(each))

interface Question {
  title: (name: string) => string
  verb: string
  kind?: 'stop'
  render: (channel: Channel) => ReactNode
  send: (channel: Channel, data: FormData) => Promise<{ words?: string; secret?: string }>
}

/** In the time of this device. */
const hourAgo = (): string =>
  new Date(serviceNow() - HOUR_MS - new Date().getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16)

export const QUESTIONS = {
  choose: {
    title: (name) => `What ${name} is sent`,
    verb: 'Save',
    render: ({ kind, urgencies, events }) => (
      <>
        <Checks legend="Notifications" name="urgencies" names={URGENCIES} chosen={urgencies} />
        {kind === 'webhook' && <Checks legend="Events" name="events" names={EVENTS} chosen={events} />}
      </>
    ),
    send: async ({ id: channelId }, data) => {
      const urgencies = chosenIn(data, 'urgencies', URGENCIES)
      const body = { urgencies, events: chosenIn(data, 'events', EVENTS) }
      await ask('PATCH /api/v1/channels/{channelId}', { path: { channelId }, body })
      return { words: 'Saved.' }
    },
  },
  secret: {
    title: (name) => `Create a new secret of ${name}?`,
    verb: 'Create it',
    render: () => <p>It is shown once. Requests are signed with the old one too for a day.</p>,
    send: ({ id: channelId }) => dataOf('POST /api/v1/channels/{channelId}/rotate', { path: { channelId } }),
  },
  again: {
    title: (name) => `Send events to ${name} again`,
    verb: 'Send again',
    render: () => (
      <Field
        label="Since"
        name="since"
        type="datetime-local"
        defaultValue={hourAgo()}
        hint="In the last 14 days, in the time of this device. Events keep their ids, so that a program can skip those it knows"
      />
    ),
    send: async ({ id: channelId }, data) => {
      const since = textOf(data, 'since')
      const body = { since: since && new Date(since).toISOString() }
      const path = { channelId }
      const { events } = await dataOf('POST /api/v1/channels/{channelId}/send-again', { path, body })
      return { words: `Events sent again: ${events}.` }
    },
  },
  remove: {
    title: (name) => `Remove ${name}?`,
    verb: 'Remove it',
    kind: 'stop',
    render: () => <p>It gets no more notifications, and what was sent to it is no longer listed.</p>,
    send: async ({ id }) => {
      await removeChannel(id)
      return { words: 'Removed.' }
    },
  },
} as const satisfies Record<string, Question>

interface Props {
  channel: Channel
  question: Question
  close: () => void
  done: (outcome: { words?: string; secret?: string }) => void
}

export function ChannelSheet({ channel, question: { title, verb, kind, render, send }, close, done }: Props) {
  const form = useSend(async (data) => {
    const outcome = await send(channel, data)
    await readChannelsAgain()
    close()
    done(outcome)
  })
  return (
    <FormSheet close={close} title={title(channel.name)} {...{ verb, form }} {...(kind && { kind })}>
      {render(channel)}
    </FormSheet>
  )
}
