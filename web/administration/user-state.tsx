import { Chip } from '../parts/panel.tsx'
import type { AdministeredUser } from './data.ts'

/** Whether a user may sign in. */
export function UserState({ user }: { user: AdministeredUser }) {
  if (user.isDisabled) return <Chip kind="danger">suspended</Chip>
  return user.hasPassword ? <Chip kind="good">active</Chip> : <Chip kind="warn">invited</Chip>
}
