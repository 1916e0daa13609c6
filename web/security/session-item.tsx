import { Laptop, MonitorSmartphone } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Routes } from '#client/types.ts'
import { Chip, Item } from '../parts/panel.tsx'
import { age, bothTimes } from '../words/times.ts'
import { deviceName } from './words.ts'

type Session = Routes['GET /api/v1/sessions']['answers'][200]['data']['sessions'][number]

export const SessionItem = ({
  session: { kind, name, ip, createdAt, lastUsedAt, isCurrent },
  now,
  end,
}: {
  session: Session
  now: number
  end?: ReactNode
}) => (
  <Item
    icon={kind === 'desktop' ? <Laptop /> : <MonitorSmartphone />}
    title={
      <>
        {deviceName(name)} {isCurrent && <Chip kind="good">this device</Chip>}
        {kind === 'desktop' && <Chip>application</Chip>}
      </>
    }
    note={
      <>
        Last seen {age(now - Date.parse(lastUsedAt))} at {ip} · signed in {bothTimes(createdAt, now)}
      </>
    }
    end={end}
  />
)
