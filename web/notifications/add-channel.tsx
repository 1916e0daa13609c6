import { useState } from 'react'
import { dataOf } from '../connection/ask.ts'
import { randomHex } from '../connection/request-key.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { Field, Select } from '../parts/field.tsx'
import { FormSheet, textOf, useSend } from '../parts/form.tsx'
import { Checks, chosenIn } from './channel-sheets.tsx'
import { readChannelsAgain } from './data.ts'
import { KINDS } from './kinds.ts'
import { EVENTS, type Channel } from './words.ts'

const ADDED = ['telegram', 'ntfy', 'email', 'discord', 'slack', 'webhook'] as const

interface Props {
  close: () => void
  added: (channel: Channel, secret: string | null) => void
}

export function AddChannel({ close, added }: Props) {
  const [kind, setKind] = useState<(typeof ADDED)[number]>('telegram')
  const [topic, setTopic] = useState(() => `trader-${randomHex(16)}`)
  const { name, steps, fields } = KINDS[kind]
  const form = useSend(async (data) => {
    const settings = fields
      .map((field) => [field.name.replace('settings.', ''), textOf(data, field.name).trim()] as const)
      .filter(([setting, value]) => setting !== 'token' || value !== '')
    const { channel, secret } = await dataOf('POST /api/v1/channels', {
      body: {
        kind,
        name: textOf(data, 'name').trim() || name,
        settings: Object.fromEntries(settings),
        ...(kind === 'webhook' && { events: chosenIn(data, 'events', EVENTS) }),
      },
    })
    await readChannelsAgain()
    close()
    added(channel, secret)
  })
  // Fields have names here, and the service's message begins with its own name.
  const faultOf = (field: string) => form.faultOf(field)?.replace(/^settings\.\w+ m/, 'M')
  const choose = (next: typeof kind): void => {
    form.clear()
    setKind(next)
  }
  return (
    <FormSheet close={close} title="Add a channel" verb="Add it" form={{ ...form, faultOf }}>
      <Select
        label="Kind"
        value={kind}
        options={ADDED.map((each) => [each, KINDS[each].name])}
        choose={choose}
      />
      <ol className="grid list-decimal gap-1 pl-5 text-sm text-muted">
        {steps.map((step) => (
          <li key={step} className="only:-ml-5 only:list-none">
            {step}
          </li>
        ))}
      </ol>
      {fields.map((field) => (
        <Field
          key={kind + field.name}
          {...field}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          {...(field.name === 'settings.topic' && {
            value: topic,
            onChange: ({ target }) => setTopic(target.value),
            sides: [null, <CopyButton key="copy" text={topic} what="the topic" />],
          })}
        />
      ))}
      {kind === 'webhook' && <Checks legend="Events" name="events" names={EVENTS} />}
      <Field label="Name (optional)" name="name" placeholder={name} autoComplete="off" maxLength={100} />
    </FormSheet>
  )
}
