import { totpCodeAt } from '../../support/totp-code.ts'
import type { Player } from '../player.ts'
import { NOBODY } from './orders.ts'

/** An administrator with a second factor, and the user that they make, change, stop and sign out. */
export async function administration(player: Player): Promise<void> {
  const { token, person, stack } = player
  const { password } = stack.person
  await person.get('/admin/users')
  await token.get('/admin/users')
  await token.post('/auth/mfa/setup')
  const { data: setup } = await person.post('/auth/mfa/setup')
  player.hide(setup.secret, 'second factor')
  const code = totpCodeAt(setup.secret, Date.now())
  player.hide(code, 'code')
  await person.post('/auth/mfa/verify', { code: 'odd' })
  const { data: enrolled } = await person.post('/auth/mfa/verify', { code })
  for (const backup of enrolled.backupCodes) player.hide(backup, 'backup code')
  await person.post('/auth/mfa/verify', { code })
  await person.get('/admin/users')
  await person.post('/auth/verify', { password })
  await person.post('/auth/verify', { code: enrolled.backupCodes[1] })

  await person.post('/admin/users', { email: 'odd', role: 'odd', plan: 'odd', more: 1 })
  const { data: made } = await person.post('/admin/users', { email: 'made@example.test', plan: 'PRO' })
  const user = `/admin/users/${made.user.id}`
  await person.post('/admin/users', { email: 'made@example.test' })
  await person.get('/admin/users?limit=1')
  await person.get(user)
  await person.patch(user, { plan: 'FREE', isDisabled: true })
  await person.patch(user, { odd: 1 })
  await person.patch(`/admin/users/${NOBODY}`, { plan: 'FREE' })
  await person.get(`${user}/sessions`)
  await person.delete(`${user}/sessions`)
  await person.post(`${user}/legacy-keys`, { label: '', scopes: [] })
  await person.post(`${user}/legacy-keys`, { label: 'old', scopes: ['trading:read'] })
  await person.put(`${user}/halt`, { level: 'odd' })
  await person.put(`${user}/halt`, { level: 'fullStop', reason: 'drill' })
  await person.delete(`${user}/halt`)
  await person.delete(`${user}/halt`)
  await person.delete('/admin/halt')
  await person.get(`/admin/audit-log?userId=${made.user.id}`)
  await person.post('/auth/mfa/backup-codes/regenerate', { password, code: '000000' })
  await person.post('/auth/mfa/disable', { password, code: enrolled.backupCodes[0] })
}
