/** Which part of a list is wanted. */
export interface Page {
  limit: number
  offset: number
}

/** A part of a list, and how long the whole is. */
export interface Slice<T> {
  items: T[]
  total: number
}
