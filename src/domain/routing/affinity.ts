/**
 * How strongly a domain prefers a node, 0..1, the same on every isolate (rendezvous hashing). A node that joins or
 * leaves moves only its own domains. FNV-1a with a final mix.
 */
export function affinity(domain: string, nodeId: string): number {
  let hash = 0x811c9dc5
  for (const text of [domain, "\n", nodeId])
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}
