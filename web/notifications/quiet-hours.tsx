import { Field, SelectField } from '../parts/field.tsx'
import { Form, textOf, useSend } from '../parts/form.tsx'
import type { NotificationChoices } from './data.ts'

type Hours = NonNullable<NotificationChoices['quietHours']>

const zoneHere = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

export const defaultHours = (): Hours => ({ from: '22:00', until: '07:00', zone: zoneHere() })

interface Props {
  hours: Hours
  isBlocked: boolean
  save: (hours: Hours) => Promise<void>
}

export function QuietHours({ hours, isBlocked, save }: Props) {
  const form = useSend((data) => {
    const value = (name: keyof Hours): string => textOf(data, `quietHours.${name}`)
    return save({ from: value('from'), until: value('until'), zone: value('zone') })
  })
  const zones = new Set([hours.zone, zoneHere(), 'UTC', ...Intl.supportedValuesOf('timeZone')])
  return (
    <Form
      {...form}
      action="Save the hours"
      kind="plain"
      size="normal"
      isBlocked={isBlocked}
      className="gap-3 pt-2 pl-8 desk:pl-7"
    >
      <div className="grid grid-cols-2 gap-3">
        <Field label="From" name="quietHours.from" type="time" defaultValue={hours.from} />
        <Field label="Until" name="quietHours.until" type="time" defaultValue={hours.until} />
      </div>
      <SelectField
        label="Time zone"
        name="quietHours.zone"
        defaultValue={hours.zone}
        options={Object.fromEntries([...zones].map((zone) => [zone, zone.replaceAll('_', ' ')]))}
      />
    </Form>
  )
}
