# Makes a clean root in its own namespaces, and runs a journey in it. Changes to the folders of the system and to the
# project stay in a folder of the test. The network is a loopback interface with the sandbox internet.
set -eu
folder=$1 project=$2 repository=$3 node=$4
ip link set lo up
layer() {
  mkdir -p "$folder/upper/$2" "$folder/work/$2" "$2"
  mount -t overlay overlay -o "lowerdir=$1,upperdir=$folder/upper/$2,workdir=$folder/work/$2" "$2"
}
for path in /etc /opt /var /root /srv /usr/local; do layer "$path" "$path"; done
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /opt
# Under /srv the service's user can read them, wherever the project is.
layer "$project" /srv/project
mkdir -p /srv/repository /etc/systemd/system
mount --bind "$repository" /srv/repository
cp -r /srv/project/test/support/guide/bin /srv/bin
chmod -R a+rX /srv/project/dist
chmod 755 /srv /srv/project /opt
install -m 0755 "$node" /usr/local/bin/node
cp "$folder/cert.pem" /run/guide-cert.pem && cp "$folder/key.pem" /run/guide-key.pem
echo 8787 >/run/guide-port
echo "127.0.0.1 api.example.com probe1.example.com" >>/etc/hosts
/usr/bin/git config --system safe.directory '*'
export CURL_CA_BUNDLE=/run/guide-cert.pem NODE_EXTRA_CA_CERTS=/run/guide-cert.pem HOME=/root REPOSITORY=/srv/repository
cd /root
node /srv/project/test/support/guide/tls-proxy.mjs &
(cd /srv/project && exec node scripts/sandbox/main.ts) >/var/log/sandbox.log 2>&1 &
await-line /var/log/sandbox.log dohUrl $!
bash "$folder/journey.sh" >"$folder/journey.sh.out" 2>&1 || true
