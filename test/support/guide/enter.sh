# Makes a clean root in its own namespaces, and runs the guides in it. Changes to /etc, /opt, /var, /root, /run and /srv
# stay in a folder of the test. The network is a loopback interface.
set -eu
folder=$1 project=$2
ip link set lo up
for path in etc opt var root srv; do
  mkdir -p "$folder/upper/$path" "$folder/work/$path"
  mount -t overlay overlay -o "lowerdir=/$path,upperdir=$folder/upper/$path,workdir=$folder/work/$path" "/$path"
done
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /opt
# Under /srv the service's user can read them, wherever the project is.
mkdir -p /srv/node_modules /srv/repository /etc/systemd/system
mount --bind "$project/node_modules" /srv/node_modules
mount --bind "$folder/repository" /srv/repository
cp -r "$project/test/support/guide/bin" /srv/bin
cp -r "$project/dist" /srv/dist && chmod -R a+rX /srv/dist
cp "$project/src/client/operations.ts" /srv/operations.ts
cp "$folder/cert.pem" /run/guide-cert.pem && cp "$folder/key.pem" /run/guide-key.pem
echo 8787 >/run/guide-port
echo "127.0.0.1 api.example.com probe1.example.com" >>/etc/hosts
/usr/bin/git config --system safe.directory '*'
chmod 755 /srv /opt
export CURL_CA_BUNDLE=/run/guide-cert.pem NODE_EXTRA_CA_CERTS=/run/guide-cert.pem HOME=/root
export PATH="/srv/bin:$PATH" REPOSITORY=/srv/repository
node "$project/test/support/guide/tls-proxy.mjs" &
for script in "$folder"/guide-*.sh; do
  bash "$script" >"$script.out" 2>&1 || true
done
