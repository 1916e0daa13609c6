/**
 * The person whom this tab shows, by id: it outlives a reload, and a browser that puts the tab away and brings it back. The
 * tab shows nobody else unless they sign in here, or the person has been told.
 */
const PLACE = 'person'

export const personOfTab = (): string | null => sessionStorage.getItem(PLACE)

export function setPersonOfTab(id: string | null): void {
  if (id === null) sessionStorage.removeItem(PLACE)
  else sessionStorage.setItem(PLACE, id)
}
